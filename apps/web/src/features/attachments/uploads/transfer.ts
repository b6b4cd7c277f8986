/** What carries one file to the server once, from where it stopped, and why it may end early. */

/** Why a transfer ended early. */
export type TransferFailure = {
  /** `lost`: try again. `gone`: the server knows nothing of it any more. `refused`: it stays so until somebody acts. */
  kind: 'lost' | 'gone' | 'refused';
  message: string;
  /** Finds the line in the server's log. */
  reference?: string | undefined;
  /** When the server wants to be asked again; milliseconds since 1970. */
  retryAt?: number | undefined;
};

/** Carries a file, beginning at what the server has of it. */
export type StartTransfer = (
  wanted: { file: File; url: string | null },
  notify: {
    /** Where the server takes it; with it the upload can go on later. */
    url: (url: string) => void;
    progress: (sent: number) => void;
    done: () => void;
    failed: (failure: TransferFailure) => void;
  },
) => { stop: () => void };

/** Tells the server that nothing more will come for an upload. Fails, as `call` does, unless what was there of it is gone. */
export type EndTransfer = (url: string) => Promise<void>;
