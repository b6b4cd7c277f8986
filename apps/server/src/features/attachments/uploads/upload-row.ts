/** What is still arriving, as the database has it. */

export type UploadRow = {
  id: string;
  owner_id: string;
  name: string;
  declared_type: string;
  declared_sha256: Buffer | null;
  size: number;
  received: number;
  created_at: Date;
  touched_at: Date;
  /** The server processes that have written it. */
  writers: string[];
};
