/** Starts the console: takes the token out of the page, reads the language, fetches what the address needs, mounts. */
import '@gatehouse/design/tokens.css';
import '@gatehouse/design/fonts.css';
import '@gatehouse/design/base.css';
import { applyTheme } from '@gatehouse/design/theme';
import { createRoot } from 'react-dom/client';
import { browserWorld } from './app/browser-world.ts';
import { ConsoleApp } from './app/console-app.tsx';
import { loadPage } from './app/load-page.tsx';
import { reloadOnMissingChunk } from './app/stale-build.ts';
import { takePageToken } from './sign-in/token.ts';
import { chosenLanguage } from './words/language-choice.ts';
import { showLanguage } from './words/words.ts';

async function start(): Promise<void> {
  reloadOnMissingChunk(window);
  applyTheme();
  takePageToken(document, localStorage, Date.now());
  const world = browserWorld();
  const language = chosenLanguage(window.location.search, localStorage);
  if (language !== 'en') await showLanguage(language);
  const page = await loadPage(window.location.pathname, world);
  createRoot(document.getElementById('app')!).render(<ConsoleApp world={world}>{page}</ConsoleApp>);
}

void start();
