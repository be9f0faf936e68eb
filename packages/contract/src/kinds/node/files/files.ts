/**
 * Files on servers, seen and changed with the rights of a login there.
 *
 *   open     decides as a terminal would, asks for a second factor where a role does, and gives an id
 *   …        every other call names that id; whatever ends a terminal ends it too, with all that runs under it
 *   close    lets go of it; it also goes by itself when it is not used
 *
 * An upload is written beside its target under a name of its own and takes the target's place at the end: what is cut leaves
 * the old file as it was. `progress` says how much of it is there, and the next `write` goes on from it.
 */
import { z } from 'zod';
import { factorAnswer } from '../../../identity/webauthn.ts';
import { ack } from '../../../wire/ack.ts';
import { defineRoutes } from '../../../wire/route.ts';
import { osLogin } from '../node-spec.ts';
import { fileName, filePath, relativePath } from './paths.ts';

/** More of a folder is not listed, and that is told. */
export const MAX_LISTED = 20_000;
export const MAX_TEXT_BYTES = 1024 * 1024;
/** Paths in one call that deletes or downloads several. */
export const MAX_PATHS = 1_000;

export const FILE_TYPES = ['file', 'folder', 'link', 'other'] as const;
export type FileType = (typeof FILE_TYPES)[number];

export const fileEntry = z.object({
  name: z.string(),
  type: z.enum(FILE_TYPES),
  /** Of a link: what it leads to, if that is there. */
  target: z.enum(FILE_TYPES).optional(),
  size: z.number(),
  /** Milliseconds since 1970. */
  modified: z.number(),
  /** The permission bits, without the type. */
  mode: z.int(),
  /** Names where the server gives them, numbers otherwise. */
  owner: z.string(),
  group: z.string(),
});
export type FileEntry = z.output<typeof fileEntry>;

const whole = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number);
/** Drawn by who uploads, the same for every try of the same file. */
export const uploadId = z.string().regex(/^[0-9a-f]{16}$/, 'must be 16 hexadecimal digits');
/** Of the content of a text: a save that names another is refused. */
const version = z.string().regex(/^[0-9a-f]{64}$/);

const base = '/v1/webapi/sites/:clusterId/files';
const upload = { folder: filePath, name: relativePath, upload: uploadId } as const;

export const fileRoutes = defineRoutes({
  open: {
    method: 'POST',
    path: base,
    summary: 'Begins to use the files of a server as a login there, with a second factor where a role asks for one.',
    auth: 'signed-in',
    body: z.object({
      /** Id, name or host name of the server. */
      server: z.string().min(1).max(253),
      login: osLogin,
      factor: factorAnswer.optional(),
    }),
    reply: z.object({
      id: z.string(),
      server: z.object({ id: z.string(), name: z.string() }),
      login: z.string(),
      home: z.string(),
    }),
  },
  close: {
    method: 'DELETE',
    path: `${base}/:fileSession`,
    summary: 'Lets go of the files of a server; what runs is cut.',
    auth: 'signed-in',
    reply: ack,
  },
  list: {
    method: 'GET',
    path: `${base}/:fileSession/list`,
    summary: 'What is in a folder, in the order of names; at most 20,000 of it.',
    auth: 'signed-in',
    query: z.object({ path: filePath }),
    reply: z.object({ path: z.string(), entries: z.array(fileEntry), complete: z.boolean() }),
  },
  stat: {
    method: 'GET',
    path: `${base}/:fileSession/stat`,
    summary: 'One file or folder; a link is told as what it is.',
    auth: 'signed-in',
    query: z.object({ path: filePath }),
    reply: fileEntry,
  },
  read: {
    method: 'GET',
    path: `${base}/:fileSession/read`,
    summary: 'The bytes of a file, or of one range of it.',
    auth: 'signed-in',
    query: z.object({ path: filePath }),
    reply: undefined,
    replyAs: 'bytes',
  },
  archive: {
    method: 'GET',
    path: `${base}/:fileSession/archive`,
    summary: 'A folder with all that is in it, as a compressed tar archive. Links are not followed.',
    auth: 'signed-in',
    query: z.object({ path: filePath }),
    reply: undefined,
    replyAs: 'bytes',
  },
  progress: {
    method: 'GET',
    path: `${base}/:fileSession/upload`,
    summary: 'How many bytes of an upload are there, and whether a file of its name is.',
    auth: 'signed-in',
    query: z.object(upload),
    reply: z.object({ offset: z.number(), exists: z.boolean() }),
  },
  write: {
    method: 'PUT',
    path: `${base}/:fileSession/upload`,
    summary: 'Uploads a file, or the rest of one from an offset on; it appears when all of it is there.',
    auth: 'signed-in',
    query: z.object({
      ...upload,
      offset: whole.default(0),
      /** Of the whole file. */
      size: whole,
      /** Whether it may take the place of a file that exists. */
      replace: z.enum(['true', 'false']).default('false'),
    }),
    bodyAs: 'bytes',
    reply: z.object({ path: z.string(), size: z.number() }),
  },
  giveUp: {
    method: 'DELETE',
    path: `${base}/:fileSession/upload`,
    summary: 'Removes what is there of an upload that is not finished.',
    auth: 'signed-in',
    query: z.object(upload),
    reply: ack,
  },
  makeFolder: {
    method: 'POST',
    path: `${base}/:fileSession/folder`,
    summary: 'Makes a folder.',
    auth: 'signed-in',
    body: z.object({ path: filePath }),
    reply: ack,
  },
  rename: {
    method: 'POST',
    path: `${base}/:fileSession/rename`,
    summary: 'Gives a file or folder another name in its folder; never one that is taken.',
    auth: 'signed-in',
    body: z.object({ path: filePath, name: fileName }),
    reply: ack,
  },
  remove: {
    method: 'POST',
    path: `${base}/:fileSession/delete`,
    summary: 'Deletes files and folders; what is in folders only on request. Links are deleted, never followed.',
    auth: 'signed-in',
    body: z.object({ paths: z.array(filePath).min(1).max(MAX_PATHS), recursive: z.boolean().default(false) }),
    reply: z.object({ removed: z.number() }),
  },
  readText: {
    method: 'GET',
    path: `${base}/:fileSession/text`,
    summary: 'A small text file, for editing it.',
    auth: 'signed-in',
    query: z.object({ path: filePath }),
    reply: z.object({ text: z.string(), version, writable: z.boolean() }),
  },
  saveText: {
    method: 'PUT',
    path: `${base}/:fileSession/text`,
    summary: 'Saves a small text file, if it still is what was read.',
    auth: 'signed-in',
    body: z.object({
      path: filePath,
      text: z.string().max(MAX_TEXT_BYTES),
      /** What was read; absent: the file must not exist. */
      version: version.optional(),
    }),
    reply: z.object({ version }),
  },
  ticket: {
    method: 'POST',
    path: `${base}/:fileSession/ticket`,
    summary:
      'An address under which this browser can download once, within a minute: a file, or several as an archive.',
    auth: 'signed-in',
    body: z.object({ paths: z.array(filePath).min(1).max(MAX_PATHS), archive: z.boolean().default(false) }),
    reply: z.object({ url: z.string() }),
  },
  download: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/file-downloads/:ticket',
    summary: 'Downloads what a ticket was made for; needs the cookie of the sign-in that made it.',
    auth: 'signed-in',
    ticketed: true,
    reply: undefined,
    replyAs: 'bytes',
  },
});
