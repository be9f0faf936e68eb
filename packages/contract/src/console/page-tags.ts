/** Names under which gateway and page tell each other things. Apart from all schemas, so that the first script stays small. */

/** The global variable that /web/config.js sets. */
export const PAGE_CONFIG_VARIABLE = 'GRV_CONFIG';
export const CSRF_META = 'grv_csrf_token';
export const BEARER_META = 'grv_bearer_token';
/** Which build of the console the page belongs to. */
export const BUILD_META = 'gatehouse_build';

/** What the mark below says where it is not known whose sign-in has ended. */
export const ENDED_OF_ANYBODY = '1';

/** Names whose sign-in it is, as in an address. Set by the console before it asks to be signed out, taken away by the gateway once that is done: a page that is asked for with it ends the sign-in of its cookie instead of going on with it. */
export const ENDED_COOKIE = 'grv_ended';

/** On every answer that another cluster gave: what it says of a sign-in, or that it is away, is of that cluster. */
export const RELAYED_ANSWER_HEADER = 'x-gatehouse-relayed';

/** On every call of a console that watches activity, in milliseconds: what a timer asks must not look like somebody at the keyboard. */
export const IDLE_HEADER = 'x-gatehouse-idle-ms';

/** Around what only a private page fetches or shows at once; the gateway cuts it out of every other page. */
export const PRIVATE_LINKS = { begin: '<!--private-->', end: '<!--/private-->' } as const;
