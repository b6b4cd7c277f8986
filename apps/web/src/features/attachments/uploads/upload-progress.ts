/** State of each upload and of all together. */
import type { TransferFailure } from './transfer.ts';

export type UploadState = 'waiting' | 'running' | 'paused' | 'lost' | 'failed' | 'done';

export type Upload = {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly state: UploadState;
  /** Bytes sent. */
  readonly sent: number;
  /** Error, or the reason for waiting. */
  readonly problem?: TransferFailure | undefined;
};

export type UploadProgress = {
  readonly uploads: readonly Upload[];
  /** Number of uploads that would be interrupted if the user left the page. */
  readonly active: number;
  readonly done: number;
  /** `sent` and `total` are bytes of all uploads except failed ones. */
  readonly sent: number;
  readonly total: number;
  /** Null if not known yet. */
  readonly bytesPerSecond: number | null;
  readonly secondsLeft: number | null;
};

export const noUploads: UploadProgress = {
  uploads: [],
  active: 0,
  done: 0,
  sent: 0,
  total: 0,
  bytesPerSecond: null,
  secondsLeft: null,
};

type Task = {
  id: number;
  file: File;
  state: UploadState;
  sent: number;
  problem: TransferFailure | undefined;
};

export function progressOf(tasks: readonly Task[], bytesPerSecond: number | null): UploadProgress {
  const uploads = tasks.map(({ id, file, state, sent, problem }) => ({
    id,
    name: file.name,
    size: file.size,
    state,
    sent: Math.min(sent, file.size),
    problem,
  }));
  const counted = uploads.filter(({ state }) => state !== 'failed');
  const total = sum(counted.map(({ size }) => size));
  const sent = sum(counted.map((upload) => upload.sent));
  return {
    uploads,
    active: uploads.filter(isActive).length,
    done: uploads.filter(({ state }) => state === 'done').length,
    sent,
    total,
    bytesPerSecond,
    secondsLeft: bytesPerSecond ? (total - sent) / bytesPerSecond : null,
  };
}

export function isActive({ state }: { state: UploadState }): boolean {
  return state === 'waiting' || state === 'running' || state === 'lost';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
