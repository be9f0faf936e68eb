/** Reads the statements of a recording piece after piece, and goes on while its session runs. */
import { type PlayedItem, recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useApi } from '../../../../platform/browser/use-api.ts';
import { type RunStatement, RunStatements } from './run-statements.ts';

/** What a page holds without being asked for more. */
const MAX_RUNS = 20_000;
const MAX_CHARACTERS = 32 * 1024 * 1024;
const LIVE_EVERY_MS = 2_000;

interface Read {
  runs: readonly RunStatement[];
  /** When something happened, in its order. */
  moments: readonly PlayedItem[];
  /** Everything there is was read. */
  isWhole: boolean;
  isLive: boolean;
  /** The page has enough: `readOn` reads as much again. */
  isFull: boolean;
  error: unknown;
}

const NOTHING: Read = { runs: [], moments: [], isWhole: false, isLive: false, isFull: false, error: undefined };

export interface Statements extends Read {
  readOn: () => void;
}

/** It is read at least so far: to a time, or to a statement. */
export interface ReadUntil {
  ms: number;
  n: number;
}

export function useStatements(clusterId: string, sid: string, wanted: ReadUntil): Statements {
  const api = useApi();
  const [read, setRead] = useState(NOTHING);
  const [rounds, setRounds] = useState(1);
  const until = useRef(wanted);
  const kept = useRef({ statements: new RunStatements(), next: undefined as string | undefined });
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { statements } = kept.current;
    const hasRoom = () =>
      statements.ms < until.current.ms ||
      (statements.runs.at(-1)?.asked.n ?? 0) < until.current.n ||
      (statements.runs.length < rounds * MAX_RUNS && statements.characters < rounds * MAX_CHARACTERS);
    const readPieces = async () => {
      while (hasRoom()) {
        const { next } = kept.current;
        const query = next === undefined ? { seek: '0' } : { next };
        const piece = await api(recordingRoutes.playback, { params: { clusterId, sid }, query }, stop.signal);
        if (stop.signal.aborted) return;
        statements.add(piece.items);
        kept.current.next = piece.next;
        const isWhole = piece.next === undefined || (piece.live && piece.items.length === 0);
        const { runs, moments } = statements;
        setRead({ runs, moments, isWhole, isLive: piece.live, isFull: false, error: undefined });
        if (piece.next === undefined) return;
        if (!isWhole) continue;
        timer = setTimeout(follow, LIVE_EVERY_MS);
        return;
      }
      setRead((before) => ({ ...before, isFull: true }));
    };
    const follow = () => {
      void readPieces().catch((error: unknown) => {
        if (!stop.signal.aborted) setRead((before) => ({ ...before, error }));
      });
    };
    follow();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [api, clusterId, sid, rounds]);
  const readOn = useCallback(() => setRounds((before) => before + 1), []);
  return useMemo(() => ({ ...read, readOn }), [read, readOn]);
}
