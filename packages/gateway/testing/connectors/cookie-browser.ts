/** The least of a browser: it goes where it is sent, and gives each server its cookies back. */

const MAX_STEPS = 20;

export interface CookieBrowser {
  /** Until an address that begins with `until`, which is not opened any more. */
  follow(url: string, until: string): Promise<string>;
  /** One step, redirects not followed. */
  open(url: string, init?: RequestInit): Promise<Response>;
}

export function createCookieBrowser(): CookieBrowser {
  const jars = new Map<string, Map<string, string>>();

  async function open(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    return response;
  }

  return {
    open,
    async follow(url, until) {
      let at = url;
      for (let step = 0; step < MAX_STEPS; step++) {
        if (at.startsWith(until)) return at;
        const response = await open(at);
        const location = response.headers.get('location');
        if (location === null)
          throw new Error(`${at} answers ${response.status}: ${(await response.text()).slice(0, 500)}`);
        await response.arrayBuffer();
        at = new URL(location, at).href;
      }
      throw new Error(`sent around in circles, at last to ${at}`);
    },
  };
}

/** Paths are not looked at: names of cookies differ in our worlds. */
function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';');
  const at = pair.indexOf('=');
  const name = pair.slice(0, at).trim();
  const value = pair.slice(at + 1).trim();
  const isOver = attributes.some((attribute) => /^\s*(max-age=0|expires=Thu, 01 Jan 1970)/i.test(attribute));
  if (isOver || value === '') jar.delete(name);
  else jar.set(name, value);
}
