/** Reads event streams in tests. */
import { watchChanges, type Changes } from '@vestibule/contract/events';

/** Opens an event stream. */
export async function openEventStream(url: string, token: string) {
  const controller = new AbortController();
  const response = await fetch(`${url}${watchChanges.path}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: controller.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let received = '';
  const readChunk = async () => {
    const { value, done } = (await reader?.read()) ?? { done: true };
    received += value ?? '';
    return !done;
  };
  return {
    response,
    leave: () => controller.abort(),
    /** Reads until an event names `area`; returns the areas of all events. */
    async until(area: string): Promise<Set<string>> {
      for (;;) {
        const areas = new Set(
          [...received.matchAll(/^data: (.*)$/gm)].flatMap(
            ([, data]) => (JSON.parse(data ?? '') as Changes).areas,
          ),
        );
        if (areas.has(area)) return areas;
        if (!(await readChunk())) throw new Error(`ended after ${received}`);
      }
    },
    async waitForText(text: string) {
      while (!received.includes(text)) if (!(await readChunk())) throw new Error(`ended after ${received}`);
      return received;
    },
    /** Resolves when the server closes or aborts the stream. */
    async end() {
      try {
        while (await readChunk());
      } catch {
        // The connection was aborted.
      }
      return received;
    },
  };
}
