/** File names and a server's messages without control characters, which a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}
