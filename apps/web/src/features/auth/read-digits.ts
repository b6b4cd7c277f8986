/** Returns the digits of a code in ASCII. Arabic and Persian keyboards and full-width input write other digits. */
export function readDigits(text: string): string {
  return text.replaceAll(/[٠-٩۰-۹０-９]/g, (digit) => `${digit.charCodeAt(0) % 16}`).replaceAll(/\D/g, '');
}
