/** Names under which the gateway puts things into the page. Apart from the schema of the configuration, so that the first script stays small. */

/** The global variable that /web/config.js sets. */
export const PAGE_CONFIG_VARIABLE = 'GRV_CONFIG';
export const CSRF_META = 'grv_csrf_token';
export const BEARER_META = 'grv_bearer_token';
/** Which build of the console the page belongs to. */
export const BUILD_META = 'gatehouse_build';

/** Around what only a private page fetches at once; the gateway cuts it out of every other page. */
export const PRIVATE_LINKS = { begin: '<!--private-->', end: '<!--/private-->' } as const;
