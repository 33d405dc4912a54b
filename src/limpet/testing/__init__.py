"""For tests of programs that use limpet."""
