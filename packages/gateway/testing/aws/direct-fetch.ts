/** Fetches as the gateway does, from servers of this machine. */
import { connect } from 'node:net';
import { createBoundedFetch } from '../../src/reach/direct/bounded-fetch.ts';

export const directFetch = createBoundedFetch(async ({ addr }) => {
  const [host, port] = addr.split(':');
  return connect(Number(port), host);
});
