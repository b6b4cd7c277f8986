/** What stands in one cell of an export. Moments are written in UTC. */
export type ExportCell = string | number | Date | null;

/** One column of an export. `width` in characters, for the spreadsheet. */
export type ExportColumn = { label: string; width: number };
