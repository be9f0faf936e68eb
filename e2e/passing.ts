/** What stands on a page for a moment only, before the page goes on by itself. */
import type { Page } from 'playwright-core';

/**
 * Is asked before it comes, and hears of every change of the page: who only looks now and then finds it gone where a machine is busy.
 * The page must not be left meanwhile.
 */
export async function passes(page: Page, words: string): Promise<void> {
  await page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!document.body.textContent?.includes(wanted)) return;
          changes.disconnect();
          resolve();
        };
        const changes = new MutationObserver(look);
        changes.observe(document.body, { childList: true, characterData: true, subtree: true });
        look();
      }),
    words,
  );
}
