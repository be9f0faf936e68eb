/** The pages that a test opens at a workbench, to be closed together. */
import { EditorPage, type PageOptions } from './editor-page.ts';

/** `usual`: asked when a page is opened, as the world of a test begins after its file is read. */
export function editorPages(usual: () => PageOptions) {
  const pages: EditorPage[] = [];
  const opened = (options: Partial<PageOptions> = {}): EditorPage => {
    const page = new EditorPage({ ...usual(), ...options });
    pages.push(page);
    return page;
  };
  return {
    opened,
    async ready(options: Partial<PageOptions> = {}): Promise<EditorPage> {
      const page = opened(options);
      await page.next('ready');
      return page;
    },
    async closePages(): Promise<void> {
      await Promise.all(pages.splice(0).map((page) => page.close()));
    },
  };
}
