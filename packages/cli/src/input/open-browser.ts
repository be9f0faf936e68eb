/** Opens an address in the browser of whoever sits here. */
import { spawn } from 'node:child_process';

/** The address was printed as well: a machine without a browser loses nothing. */
export function openBrowser(url: string): void {
  // It comes from the gateway, which must not be able to start anything else than a browser here.
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return;
  const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
