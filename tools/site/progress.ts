/** Says now and then what a long command is at, for whoever watches; results go to standard output. */
const everyMs = 1_000;

export function createProgress(): (what: string) => void {
  let said = performance.now();
  return (what) => {
    if (performance.now() - said < everyMs) return;
    said = performance.now();
    console.error(`${what} …`);
  };
}
