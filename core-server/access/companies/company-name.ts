const maxCompanyNameLength = 64;

export const companyNameRule = `1 to ${maxCompanyNameLength} ASCII letters, digits, ".", "_" or "-", but not only dots`;

// Clients remove `.` and `..` from a URL before sending it.
const form = new RegExp(`^(?!\\.+$)[A-Za-z0-9._-]{1,${maxCompanyNameLength}}$`);

export function isCompanyName(name: string): boolean {
  return form.test(name);
}
