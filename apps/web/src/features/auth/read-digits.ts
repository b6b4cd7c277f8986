/** Returns the digits of a code in ASCII. Arabic and Persian keyboards and full-width input write other digits. */
export const readDigits = (text: string): string =>
  text.replaceAll(/[٠-٩۰-۹０-９]/g, (digit) => `${digit.charCodeAt(0) % 16}`).replaceAll(/\D/g, '');
