/** Events of files copied with scp. */
import { z } from 'zod';
import { defineEvent } from '../../events/define-event.ts';
import { byUser, connection, server, session } from '../../events/event-fields.ts';
import { because, line } from '../../events/line.ts';

const about = { kind: 'node', name: 'server_hostname' } as const;
const fields = {
  ...byUser,
  ...connection,
  ...session,
  ...server,
  command: z.string(),
  exitCode: z.string().optional(),
  exitError: z.string().optional(),
  path: z.string(),
  action: z.string(),
} as const;

export const scpDownloaded = defineEvent({
  code: 'T3004I',
  event: 'scp',
  label: 'SCP Download',
  about,
  fields,
  tell: ({ user, path, server_hostname, 'addr.local': local }) =>
    line`${user} downloaded ${path} from ${server_hostname || local}`,
});

export const scpDownloadFailed = defineEvent({
  code: 'T3004E',
  event: 'scp',
  label: 'SCP Download Failed',
  about,
  fields,
  tell: ({ user, path, server_hostname, exitError, 'addr.local': local }) =>
    line`${user} could not download ${path} from ${server_hostname || local}${because(exitError)}`,
});

export const scpUploaded = defineEvent({
  code: 'T3005I',
  event: 'scp',
  label: 'SCP Upload',
  about,
  fields,
  tell: ({ user, path, server_hostname, 'addr.local': local }) =>
    line`${user} uploaded ${path} to ${server_hostname || local}`,
});

export const scpUploadFailed = defineEvent({
  code: 'T3005E',
  event: 'scp',
  label: 'SCP Upload Failed',
  about,
  fields,
  tell: ({ user, path, server_hostname, exitError, 'addr.local': local }) =>
    line`${user} could not upload ${path} to ${server_hostname || local}${because(exitError)}`,
});
