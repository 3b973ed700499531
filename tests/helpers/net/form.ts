/** A form as a browser sends it. */
export function createForm(
  file: Uint8Array | undefined,
  fields: Record<string, string> = {},
  fileName = 'picture.jpg',
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (file !== undefined) form.append('file', new Blob([Buffer.from(file)]), fileName);
  return form;
}
