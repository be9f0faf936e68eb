/** A window for another site: opened at its address, or while the click still counts and led on once its address is known. */

export interface WindowAhead {
  /** False where the browser let none be opened, and once it is closed. */
  isOpen: () => boolean;
  leadTo: (url: string) => void;
  close: () => void;
}

const LOOK = 'popup,width=560,height=760';

/** Whether the browser let it be opened. */
export function openAt(url: string): boolean {
  const address = new URL(url, window.location.href);
  const opened = isPage(address) ? window.open(address.href, '_blank', LOOK) : null;
  if (opened) letGo(opened);
  return opened !== null;
}

/** `words` are shown in it meanwhile: an empty window would look broken. */
export function openAhead(words: string): WindowAhead {
  const opened = window.open('', '_blank', LOOK);
  if (opened) showWords(opened.document, words);
  return {
    isOpen: () => opened !== null && !opened.closed,
    leadTo(url) {
      const address = new URL(url, window.location.href);
      if (!opened || !isPage(address)) return opened?.close();
      letGo(opened);
      opened.location.replace(address.href);
    },
    close: () => opened?.close(),
  };
}

/** By properties alone, which the page's policy allows. */
function showWords({ documentElement, body }: Document, words: string): void {
  documentElement.style.colorScheme = getComputedStyle(document.documentElement).colorScheme;
  Object.assign(body.style, { margin: '40vh 24px 0', font: '15px/1.5 system-ui, sans-serif', textAlign: 'center' });
  body.ownerDocument.title = words;
  body.textContent = words;
}

function isPage({ protocol }: URL): boolean {
  return /^https?:$/.test(protocol);
}

/** Whoever is led to there must not lead this page anywhere. */
function letGo(opened: Window): void {
  opened.opener = null;
}
