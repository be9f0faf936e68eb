/** A window for another site: opened while the click still counts, and led on once its address is known. */

export interface WindowAhead {
  /** False where the browser let none be opened, and once it is closed. */
  isOpen: () => boolean;
  leadTo: (url: string) => void;
  close: () => void;
}

export function openAhead(): WindowAhead {
  const opened = window.open('', '_blank', 'popup,width=560,height=760');
  return {
    isOpen: () => opened !== null && !opened.closed,
    leadTo(url) {
      const address = new URL(url, window.location.href);
      if (!opened || !/^https?:$/.test(address.protocol)) return opened?.close();
      // Whoever is led to there must not lead this page anywhere.
      opened.opener = null;
      opened.location.replace(address.href);
    },
    close: () => opened?.close(),
  };
}
