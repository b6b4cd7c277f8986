/** What long commands say. */
const everyMs = 1_000;

export const count = (value: number) => value.toLocaleString('en');

/** Says now and then what a command is at, for whoever watches; results go to standard output. */
export function createProgress(): (what: string) => void {
  let said = performance.now();
  return (what) => {
    if (performance.now() - said < everyMs) return;
    said = performance.now();
    console.error(`${what} …`);
  };
}
