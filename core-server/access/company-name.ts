/** The rule for company names, in words. */
export const companyNameRule = '1 to 64 characters out of letters, digits, ".", "_" and "-"';

/** Whether a company could have this name. */
export function isCompanyName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name);
}
