/** Fetches the code of the other screens while nothing else is to do: a click is then answered even when the gateway is away. */
import { matchPage, type PageName } from '@gatehouse/contract/console/pages';
import { rendererCode } from '../evidence/recordings/renderers.ts';
import { loadScreen } from './load-screen.ts';
import { NAVIGATION } from './navigation.ts';
import { isBuilt } from './screens.ts';
import { loadShellParts } from './shell/shell-parts.tsx';

/** Screens that are reached from others and not by the navigation. */
const BESIDE: readonly PageName[] = ['console', 'player', 'files', 'locks', 'workbench'];

export async function loadAhead(path: string, idle: () => Promise<void>): Promise<void> {
  // From there the browser goes on to an application.
  if (matchPage(path)?.name === 'launch') return;
  const screens = [...NAVIGATION.map((entry) => entry.page), ...BESIDE].filter(isBuilt);
  const parts = [loadShellParts, ...screens.map((name) => () => loadScreen(name)), ...rendererCode()];
  for (const load of parts) {
    await idle();
    // What fails here is asked for again when somebody wants it.
    await load().catch(() => undefined);
  }
}
