/** Recordings as people find and play them: the list, one recording, its pieces for the player, and what was on the screen. */
import { z } from 'zod';
import { listOf } from '../wire/paging.ts';
import { defineRoutes } from '../wire/route.ts';
import {
  recordingFindQuery,
  recordingListQuery,
  recordingPlaybackQuery,
  recordingScreenQuery,
  recordingSearchQuery,
} from './recording-query.ts';

/** What became of a recording. Only the first three can be played, and of a damaged one what comes before the damage. */
export const RECORDING_STATES = [
  'complete',
  /** The session goes on: it can be followed. */
  'live',
  /** The end is missing: played up to where it breaks off. */
  'truncated',
  /** Changed or damaged: what comes before the first bad place can be looked at after a warning, when it is playable. */
  'corrupted',
  'missing',
  /** By role or for the whole cluster. */
  'disabled',
  /** A command without a terminal. */
  'non_interactive',
  /** Nothing answered, or nobody was let in: there never was anything to record. */
  'never_connected',
  /** The gateway could not write it. */
  'failed',
  'removed',
] as const;
export type RecordingState = (typeof RECORDING_STATES)[number];

export const recording = z.object({
  sid: z.string(),
  /** `ssh`, `k8s`, `desktop`: as active sessions have it. */
  kind: z.string(),
  resource: z.object({ kind: z.string(), id: z.string(), name: z.string() }),
  /** Who somebody became there: of a database, its user. */
  login: z.string(),
  /** Of sessions with databases. */
  database: z.string().optional(),
  protocol: z.string().optional(),
  /** Where inside of it, if not with the whole: namespace, pod and container of a Kubernetes cluster. */
  inside: z.string().optional(),
  owner: z.string(),
  /** Everybody who was in it, the owner first. */
  users: z.array(z.string()),
  started: z.string(),
  /** Absent while it goes on. */
  ended: z.string().optional(),
  durationMs: z.number().int(),
  state: z.enum(RECORDING_STATES),
  playable: z.boolean(),
  /** For people: why it cannot be played, or what is missing. Empty when all is well. */
  reason: z.string(),
  /** Of the file. */
  bytes: z.number().int(),
});
export type Recording = z.output<typeof recording>;

/**
 * A drawn screen: SGR colours and cursor moves only, nothing that answers, rings, copies or names. The one that playback begins
 * with also has rows that scrolled out, goes to the alternate screen and sets what later output depends on.
 */
export const recordedScreen = z.object({
  ms: z.number().int(),
  cols: z.number().int(),
  rows: z.number().int(),
  ansi: z.string(),
  /** The gateway has not read the recording so far: made from the last of what was printed before, and only nearly right. */
  approximate: z.boolean().optional(),
});
export type RecordedScreen = z.output<typeof recordedScreen>;

export const MARKER_TYPES = ['join', 'leave', 'resize', 'command', 'gap', 'note', 'end'] as const;

export const recordingDetails = recording.extend({
  /** How much was printed in each of equal parts of the duration, 0 to 1. */
  activity: z.array(z.number()),
  markers: z.array(z.object({ ms: z.number().int(), type: z.enum(MARKER_TYPES), text: z.string() })),
  /** False: there were more than are told. */
  markersComplete: z.boolean(),
  cols: z.number().int(),
  rows: z.number().int(),
  /** Until here, because the gateway has read it so far; the whole duration once it has. */
  indexedMs: z.number().int(),
});
export type RecordingDetails = z.output<typeof recordingDetails>;

/** A statement, without its secrets. Hostile: whoever was in the session chose it. */
export const askedItem = z.object({
  type: z.literal('asked'),
  ms: z.number().int(),
  /** In its recording; what came of it names it by this. */
  n: z.number().int(),
  /** In the words of its protocol; `prepare` for what only makes a statement ready. */
  what: z.string(),
  text: z.string(),
  /** Of the whole text in bytes, where not all of it was kept. */
  length: z.number().int().optional(),
  sha256: z.string().optional(),
  /** Only its beginning: what prepared it has all of it. */
  cut: z.boolean().optional(),
  values: z.array(z.string()).optional(),
  /** The connection, as the server's own log has it. */
  backend: z.number().optional(),
});

/** What came of it. */
export const answeredItem = z.object({
  type: z.literal('answered'),
  ms: z.number().int(),
  n: z.number().int(),
  /** Milliseconds from question to answer. */
  took: z.number(),
  rows: z.number().int(),
  bytes: z.number().int(),
  tag: z.string(),
  /** Only where it failed. */
  error: z.string().optional(),
  code: z.string(),
});

export const recordedItem = z.discriminatedUnion('type', [
  /** Base64. Hostile: the player must let nothing in it act. */
  z.object({ type: z.literal('output'), ms: z.number().int(), data: z.string() }),
  z.object({ type: z.literal('size'), ms: z.number().int(), cols: z.number().int(), rows: z.number().int() }),
  z.object({ type: z.literal('input'), ms: z.number().int(), data: z.string() }),
  z.object({ type: z.enum(['join', 'leave']), ms: z.number().int(), user: z.string(), mode: z.string() }),
  z.object({ type: z.literal('gap'), ms: z.number().int(), bytes: z.number().int() }),
  z.object({ type: z.literal('end'), ms: z.number().int(), text: z.string() }),
  askedItem,
  answeredItem,
  /** The beginning of a result, where a role has it kept. */
  z.object({
    type: z.literal('sample'),
    ms: z.number().int(),
    n: z.number().int(),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.string().nullable())),
    cut: z.boolean(),
  }),
]);
export type PlayedItem = z.output<typeof recordedItem>;

export const playback = z.object({
  /** Draw this first, then the items. Only when `seek` was asked for. */
  screen: recordedScreen.optional(),
  items: z.array(recordedItem),
  /** Ask with this for what follows. Absent: that was all. */
  next: z.string().optional(),
  /** The session goes on: asking again with `next` later gives more. */
  live: z.boolean(),
});
export type Playback = z.output<typeof playback>;

const hit = z.object({
  /** When it was first on the screen. */
  ms: z.number().int(),
  /** The line, cut to a reasonable length. */
  line: z.string(),
  /** Where in `line` the words are: pairs of begin and length. */
  marks: z.array(z.tuple([z.number().int(), z.number().int()])),
});

export const recordingRoutes = defineRoutes({
  list: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings',
    summary: 'Ended and running sessions of a time range with what became of their recordings, newest first.',
    auth: 'signed-in',
    query: recordingListQuery,
    reply: z.object({ recordings: listOf(recording), startKey: z.string() }),
  },
  search: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/search',
    summary: 'Recordings in which words were on the screen, with the seconds at which they were.',
    auth: 'signed-in',
    query: recordingSearchQuery,
    reply: z.object({
      found: listOf(recording.extend({ hits: z.array(hit), moreHits: z.boolean() })),
      startKey: z.string(),
      /** Recordings the index has not reached yet: what is in them is not found. */
      waiting: z.number().int(),
    }),
  },
  get: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid',
    summary: 'One recording with what the timeline of the player shows.',
    auth: 'signed-in',
    reply: recordingDetails,
  },
  screen: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid/screen',
    summary: 'The screen as it was at a time, or the last one: for thumbnails.',
    auth: 'signed-in',
    query: recordingScreenQuery,
    reply: recordedScreen,
  },
  playback: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid/playback',
    summary: 'A bounded piece of a recording: from a time (`seek`), or what follows the last piece (`next`).',
    auth: 'signed-in',
    query: recordingPlaybackQuery,
    reply: playback,
  },
  pieces: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid/pieces',
    summary:
      'A bounded piece of a recorded desktop as bytes: from where a client can begin to draw a time (`seek`), or what follows the last piece (`next`).',
    auth: 'signed-in',
    query: recordingPlaybackQuery,
    reply: undefined,
    replyAs: 'bytes',
  },
  picture: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid/picture',
    summary:
      'A small picture of a recorded desktop at about a time, or the last one: PNG. Empty while it is being made.',
    auth: 'signed-in',
    query: recordingScreenQuery,
    reply: undefined,
    replyAs: 'bytes',
  },
  find: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/recordings/:sid/find',
    summary: 'When a text was on the screen of one recording.',
    auth: 'signed-in',
    query: recordingFindQuery,
    reply: z.object({ hits: listOf(hit), complete: z.boolean() }),
  },
});
