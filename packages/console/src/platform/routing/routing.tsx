/** Links, parameters and what follows the question mark, for private screens; typed from the contract's list of pages. */
import { matchPage, type PageName, pagePath } from '@gatehouse/contract/console/pages';
import { Link, useLocation, useMatch, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useBrowser } from '../browser/browser-services.tsx';
import type { PageParams } from './page-params.ts';

/** The page in the address bar, or nothing for an unknown path. */
export function useCurrentPage() {
  const path = useLocation({ select: (location) => location.pathname });
  return useMemo(() => matchPage(path), [path]);
}

/**
 * A screen stays for a moment after its address is left, until the next one is fetched: for so long it is about what it
 * was about, or it would look for a cluster's name in the address of the settings, and fail.
 */
function useWhileHere<T>(said: T): T {
  const current = useCurrentPage()?.name;
  const own = useMatch({ strict: false, shouldThrow: false, select: ({ staticData }) => staticData.page });
  const [page] = useState(own);
  const [held, hold] = useState(said);
  // What lies around the screens, as the navigation, is of no page.
  const isHere = page === undefined || page === current;
  if (isHere && !Object.is(said, held)) hold(said);
  return isHere ? said : held;
}

const NO_PARAMS = {};

/** The parameters of the page this screen is shown for. */
export function usePageParams<Name extends PageName>(_page: Name): PageParams<Name> {
  return useWhileHere(useCurrentPage()?.params ?? NO_PARAMS) as PageParams<Name>;
}

export type SearchTexts = Record<string, string>;

/**
 * Filters, sort and tabs that live in the address, so that a reload or a colleague sees the same. `parse` turns texts
 * anybody may have written into values; setting `undefined` takes a name out. A change that `push`es can be taken back
 * with the browser's Back; others, such as each letter typed, take the place of what was there.
 */
export function useSearch<T>(parse: (texts: SearchTexts) => T) {
  const texts = useWhileHere(useLocation({ select: (location) => location.search as SearchTexts }));
  const navigate = useNavigate();
  const set = useCallback(
    (change: Record<string, string | undefined>, how: 'replace' | 'push' = 'replace') =>
      navigate({ to: '.', search: (before: SearchTexts) => withChange(before, change), replace: how === 'replace' }),
    [navigate],
  );
  return [useMemo(() => parse(texts), [parse, texts]), set] as const;
}

function withChange(before: SearchTexts, change: Record<string, string | undefined>): SearchTexts {
  const next = Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(next) as SearchTexts;
}

/** Pages without the shell, which what is on the screen now cannot be without: they are loaded whole. */
const ALONE: ReadonlySet<PageName> = new Set<PageName>(['desktop']);

function isAlone(path: string): boolean {
  const page = matchPage(path.split('?', 1)[0] as string);
  return page !== undefined && ALONE.has(page.name);
}

/** Goes to a path that `pagePath` made, without a page load where it stays in the shell. */
export function useFollow() {
  const navigate = useNavigate();
  const { go } = useBrowser();
  return useCallback((path: string) => (isAlone(path) ? go(path) : void navigate(targetOf(path))), [navigate, go]);
}

/** The address says what is shown now, and Back leads to where one was before. Nobody went anywhere. */
export function useReplacePath() {
  const navigate = useNavigate();
  return useCallback(
    (path: string) => void navigate({ ...targetOf(path), replace: true, state: { stays: true } }),
    [navigate],
  );
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Whose screen it shows. */
    page?: PageName;
  }
  interface HistoryState {
    /** The screen is the same as before; only its address is another. */
    stays?: boolean;
  }
}

interface LinkLook {
  className?: string;
  title?: string;
  'aria-label'?: string;
  'aria-current'?: 'page';
  onClick?: () => void;
  children: ReactNode;
}

interface PageLinkProps<Name extends PageName> extends LinkLook {
  page: Name;
  params?: PageParams<Name>;
}

/** A link to one of our pages; its screen is fetched as soon as the pointer rests on it. */
export function PageLink<Name extends PageName>({ page, params, children, ...rest }: PageLinkProps<Name>) {
  return (
    <Link to={pagePath(page, params as Record<string, string>)} {...rest}>
      {children}
    </Link>
  );
}

/** Goes to a path that `pagePath` made, without a page load where it stays in the shell. */
export function PathLink({ path, children, ...rest }: LinkLook & { path: string }) {
  if (isAlone(path))
    return (
      <a href={path} {...rest}>
        {children}
      </a>
    );
  return (
    <Link {...targetOf(path)} {...rest}>
      {children}
    </Link>
  );
}

/** The router takes what follows the question mark by itself. */
function targetOf(path: string): { to: string; search: SearchTexts } {
  const [to = '', texts = ''] = path.split('?');
  return { to, search: Object.fromEntries(new URLSearchParams(texts)) };
}
