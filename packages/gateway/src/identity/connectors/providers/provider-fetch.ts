/** How providers are asked: the part of `fetch` that OpenID libraries use, given by whoever may dial. */

/** Through the guard every dial passes, 5 s, 1 MiB, no redirects, HTTPS. Throws `AppError`, whose words are for administrators. */
export type ProviderFetch = (url: string | URL, init?: ProviderRequest) => Promise<Response>;

export interface ProviderRequest {
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | URLSearchParams | Uint8Array | null | undefined;
  signal?: AbortSignal | undefined;
  /** Whoever asks the same place again with the same one soon goes on over the same connection; without it, each is closed after its answer. */
  keeper?: object | undefined;
  /** Of a certificate: the other side must show it, and it alone vouches for them. */
  pin?: string | undefined;
}

export interface ProviderFetches {
  /** Refuses what leads to the machine the gateway runs on. */
  elsewhere: ProviderFetch;
  /** There too, except for what the gateway itself listens on. */
  anywhere: ProviderFetch;
}

/** For one connector as it is now: its connections serve no other, and none that it becomes by an edit. */
export function fetchFor(fetch: ProviderFetch, connector: object): ProviderFetch {
  return (url, init) => fetch(url, { ...init, keeper: connector });
}
