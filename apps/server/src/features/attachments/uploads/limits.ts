/** How much may be kept, in bytes. Set by the configuration. */
export type AttachmentLimits = {
  fileBytes: number;
  personBytes: number;
  /** All files of everybody together. */
  siteBytes: number;
};
