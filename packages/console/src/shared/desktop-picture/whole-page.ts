/** Pages that draw remote desktops are loaded whole: the policy of the page one came from does not let wasm be compiled. */
import { allowsWasm } from '@gatehouse/contract/console/pages';

/** False where a link of the console led here without a page load: then whoever draws loads the same address anew. */
export function wasLoadedToDraw(): boolean {
  const [loaded] = performance.getEntriesByType('navigation');
  // A browser that does not tell finds out when it compiles.
  return loaded === undefined || allowsWasm(new URL(loaded.name).pathname);
}
