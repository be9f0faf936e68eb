/** Asks the cloud that the gateway itself runs in who it is. No resource is dialled so: its address is one that resources are refused at. */
import type { BoundedFetch } from './bounded-fetch.ts';

/** Where there is no such cloud, nobody answers. */
const TIMEOUT_MS = 3_000;

export const askOwnMachine: BoundedFetch = async (url, { headers = {} } = {}) =>
  await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
