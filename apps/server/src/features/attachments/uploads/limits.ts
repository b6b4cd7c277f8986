/** How much may be kept, in bytes. Set by the configuration. */
export type AttachmentLimits = {
  fileBytes: number;
  personBytes: number;
  /** All files of everybody together. */
  siteBytes: number;
};

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** A size for people: `1.4 MB`, in units of 1024 as limits are set. */
export function sizeWords(bytes: number): string {
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${value < 10 && step > 0 ? Number(value.toFixed(1)) : Math.floor(value)} ${units[step]}`;
}
