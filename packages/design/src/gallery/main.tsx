/** Starts the gallery: every component in every state, in one place. `?theme=light` or `?theme=dark` chooses. */

import '../tokens.css';
import '../fonts.css';
import '../fonts-italic.css';
import '../base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyTheme, setTheme } from '../theme.ts';
import { ToastProvider } from '../toast.tsx';
import { Gallery } from './gallery.tsx';

const asked = new URLSearchParams(location.search).get('theme');
if (asked === 'dark' || asked === 'light') setTheme(asked);
else applyTheme();

const root = document.getElementById('gallery');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <ToastProvider>
        <Gallery />
      </ToastProvider>
    </StrictMode>,
  );
}
