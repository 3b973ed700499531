/** An SVG picture on white; `parts` are its elements. */
export function svgPicture(width: number, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#202124">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    ...parts,
    '</svg>\n',
  ].join('\n');
}

/** Words at a place; `more` are further attributes. */
export function svgText(x: number, y: number, words: string, more = ''): string {
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${safe}</text>`;
}
