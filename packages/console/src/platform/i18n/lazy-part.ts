/** A part of a page that is fetched, with the areas of its words, when it is first shown. */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { fetchCode } from '../code/fetch-code.ts';
import { type Area, loadWords } from './words.ts';

export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
  areas: readonly Area[] = [],
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    const [part] = await Promise.all([fetchCode(load), loadWords(areas)]);
    return { default: part };
  });
}
