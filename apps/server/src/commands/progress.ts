/** Progress output of long commands. */
const everyMs = 1_000;

export const count = (value: number) => value.toLocaleString('en');

/** Returns a function that prints progress to stderr at most once a second; results go to stdout. */
export function createProgress(): (what: string) => void {
  let said = performance.now();
  return (what) => {
    if (performance.now() - said < everyMs) return;
    said = performance.now();
    console.error(`${what} …`);
  };
}
