/** Support for the embedded provider on http://localhost. */
import type { INetworkModule, NetworkRequestOptions, NetworkResponse } from '@azure/msal-browser';

const timeoutMilliseconds = 10_000;

/**
 * Stores the cookie with MSAL's encryption key, unless it exists. MSAL writes it with Secure, which Safari refuses on
 * http://localhost: every reload would sign the user out.
 */
function storeEncryptionKey(): void {
  const name = 'msal.cache.encryption';
  if (document.cookie.includes(name)) return;
  const key = btoa(String.fromCodePoint(...crypto.getRandomValues(new Uint8Array(32))));
  const value = encodeURIComponent(JSON.stringify({ id: crypto.randomUUID(), key }));
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser we target
  document.cookie = `${name}=${value}; path=/; samesite=lax`;
}

/** MSAL network module that sends requests to the embedded provider: MSAL itself accepts only https authorities. */
export function embeddedNetwork(authBaseUrl: string, localUrl: string): INetworkModule {
  storeEncryptionKey();
  async function send<T>(
    method: string,
    url: string,
    options?: NetworkRequestOptions,
  ): Promise<NetworkResponse<T>> {
    const address = url.startsWith(`${authBaseUrl}/`) ? localUrl + url.slice(authBaseUrl.length) : url;
    const response = await fetch(address, {
      method,
      signal: AbortSignal.timeout(timeoutMilliseconds),
      ...(options?.headers && { headers: options.headers }),
      ...(options?.body !== undefined && { body: options.body }),
    });
    return {
      headers: Object.fromEntries(response.headers),
      body: (await response.json()) as T,
      status: response.status,
    };
  }
  return {
    sendGetRequestAsync: (url, options) => send('GET', url, options),
    sendPostRequestAsync: (url, options) => send('POST', url, options),
  };
}
