/** Uploads as they are shown: each by itself, and how they go together. */
import type { TransferFailure } from './transfer.ts';

export type UploadState = 'waiting' | 'running' | 'paused' | 'lost' | 'failed' | 'done';

/** An upload, as it is shown. */
export type Upload = {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly state: UploadState;
  /** Bytes that are at the server or on their way. */
  readonly sent: number;
  /** Why it failed, or what it waits for. */
  readonly problem?: TransferFailure | undefined;
};

/** All of them, and how they go together. */
export type UploadProgress = {
  readonly uploads: readonly Upload[];
  /** Those on their way or waiting for their turn, the lost ones included; what leaving the page would stop. */
  readonly active: number;
  readonly done: number;
  /** Bytes of all but the failed ones. */
  readonly sent: number;
  readonly total: number;
  /** Null until there is something to go by. */
  readonly bytesPerSecond: number | null;
  readonly secondsLeft: number | null;
};

/** Before anything is uploaded. */
export const nothing: UploadProgress = {
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
  const sent = sum(counted.map((one) => one.sent));
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
  return numbers.reduce((one, other) => one + other, 0);
}
