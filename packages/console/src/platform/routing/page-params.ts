/** The parameters in a page's address, typed from the contract's list of pages. */
import {
  matchPage,
  PAGES,
  type PageMatch,
  type PageName,
  type PublicPageName,
} from '@gatehouse/contract/console/pages';

type Segment<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Segment<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type Names<Name extends PageName> = Segment<(typeof PAGES)[Name]['path']>;

/** Those with a question mark in the contract may be absent. */
export type PageParams<Name extends PageName> = {
  [N in Names<Name> as N extends `${string}?` ? never : N]: string;
} & { [N in Names<Name> as N extends `${infer Optional}?` ? Optional : never]?: string };

export function isPublic(page: PageMatch): page is PageMatch & { name: PublicPageName } {
  return PAGES[page.name].access === 'public';
}

/** For public pages, which have no router: each of them is a page load of its own. */
export function publicPageParams<Name extends PageName>(_page: Name): PageParams<Name> {
  return (matchPage(window.location.pathname)?.params ?? {}) as PageParams<Name>;
}
