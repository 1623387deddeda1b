/** One line of RFC 4180, with its end. */
export const csvLine = (fields: readonly (string | number | boolean | null)[]): string =>
  `${fields.map((field) => csvField(field === null ? '' : String(field))).join(',')}\r\n`;

/**
 * A field of RFC 4180. A value that starts like a formula gets a quote in front, so that spreadsheets treat it as text:
 * others than the reader of the file have written the values.
 */
function csvField(text: string): string {
  const plain = /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
