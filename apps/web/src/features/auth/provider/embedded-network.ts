/** MSAL network module that sends requests to the embedded provider: MSAL itself accepts only https authorities. */
import type { INetworkModule, NetworkRequestOptions, NetworkResponse } from '@azure/msal-browser';

const timeoutMilliseconds = 10_000;

export function embeddedNetwork(authBaseUrl: string, localUrl: string): INetworkModule {
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
