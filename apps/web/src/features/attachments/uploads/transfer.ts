export type TransferFailure = {
  /** `lost`: the transfer is retried. `gone`: the server no longer has the upload. `refused`: the transfer fails until the user acts. */
  kind: 'lost' | 'gone' | 'refused';
  message: string;
  /** Reference id of the server's log entry. */
  reference?: string | undefined;
  /** Time of the next retry requested by the server, in milliseconds since 1970. */
  retryAt?: number | undefined;
};

/** Transfers a file once, starting after the bytes that the server has received. */
export type StartTransfer = (
  source: { file: File; url: string | null },
  notify: {
    /** URL of the upload, with which it can be resumed. */
    url: (url: string) => void;
    progress: (sent: number) => void;
    done: () => void;
    failed: (failure: TransferFailure) => void;
  },
) => { stop: () => void };

/** Deletes an upload on the server. Throws like `call`, unless the upload no longer exists. */
export type EndTransfer = (url: string) => Promise<void>;
