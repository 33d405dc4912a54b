"""From a book to pages: tables in Markdown, charts in SVG. Pure but for the writing of files."""
