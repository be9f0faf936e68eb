/** Starts the console: takes the token out of the page, reads the language, fetches what the address needs, mounts. */
import '@gatehouse/design/tokens.css';
import '@gatehouse/design/fonts.css';
import '@gatehouse/design/fonts-italic.css';
import '@gatehouse/design/base.css';
import './app/first-frame.css';
import { BUILD_META } from '@gatehouse/contract/console/page-tags';
import { matchPage } from '@gatehouse/contract/console/pages';
import type { Pong } from '@gatehouse/contract/console/ping';
import { applyTheme } from '@gatehouse/design/theme';
import { createRoot } from 'react-dom/client';
import { browserServices } from './app/browser-services.ts';
import { ConsoleApp } from './app/console-app.tsx';
import { loadPage } from './app/load-page.tsx';
import { createMendMissing, forgetFailedLinks } from './app/missing-code.ts';
import { PREFERENCES } from './platform/browser/preferences.ts';
import { fetchCode, mendMissingWith } from './platform/code/fetch-code.ts';
import { chosenLanguage } from './platform/i18n/language-choice.ts';
import { showLanguage } from './platform/i18n/words.ts';
import { isPublic } from './platform/routing/page-params.ts';
import { takePageToken } from './platform/sign-in/token.ts';
import { loadTelemetry } from './platform/telemetry/load-telemetry.ts';

async function start(): Promise<void> {
  applyTheme();
  takePageToken(document, localStorage, Date.now());
  const browser = browserServices();
  forgetFailedLinks(document);
  mendMissingWith(
    createMendMissing({
      connection: browser.connection,
      build: document.querySelector<HTMLMetaElement>(`meta[name="${BUILD_META}"]`)?.content,
      askBuild: servedBuild,
      reload: () => window.location.reload(),
      storage: sessionStorage,
      now: Date.now,
    }),
  );
  void loadTelemetry(browser);
  const language = chosenLanguage(window.location.search, storedLanguage());
  if (language !== 'en') await showLanguage(language);
  const page = await loadPage(window.location.pathname, browser);
  createRoot(document.getElementById('app')!).render(<ConsoleApp browser={browser}>{page}</ConsoleApp>);
  const shown = matchPage(window.location.pathname);
  if (!shown || isPublic(shown)) return;
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  // Whoever counts their bytes does not get the code that fetches code either.
  await idle();
  const { loadAhead } = await fetchCode(() => import('./app/load-ahead.ts'));
  await loadAhead(window.location.pathname, idle);
}

/** A browser that keeps nothing for this site has no choice to tell. */
function storedLanguage(): string | null {
  try {
    return localStorage.getItem(PREFERENCES.language);
  } catch {
    return null;
  }
}

async function servedBuild(): Promise<string | undefined> {
  const reply = await fetch('/v1/webapi/ping', { cache: 'no-store' });
  // A proxy answers for a gateway that is away.
  if (!reply.ok) throw new Error(`ping was answered with ${reply.status}`);
  return ((await reply.json()) as Partial<Pong>).gatehouse?.consoleBuild;
}

const SETTLE_MS = 1500;

/** Nothing on the screen, and nobody who counts their bytes, is made to wait for what may never be needed. */
function idle(): Promise<void> {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return new Promise(() => {});
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: SETTLE_MS });
    else setTimeout(resolve, SETTLE_MS);
  });
}

void start();
