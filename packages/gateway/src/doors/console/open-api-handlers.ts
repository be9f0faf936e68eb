/** Answers the call that describes all others. */
import { openApiDocument } from '@gatehouse/contract/api/open-api/document';
import { VERSION } from '@gatehouse/contract/std/version';
import type { FeatureHandlers } from '../../platform/http/bind-api.ts';

type Document = ReturnType<typeof openApiDocument>;

export function openApiHandlers(): FeatureHandlers<'openApi'>['openApi'] {
  // Made when somebody asks, once for each scheme: few ask, every start would wait for it, and cookies have other names by HTTPS.
  const made: Partial<Record<'http' | 'https', Document>> = {};
  return {
    async document({ exchange }) {
      const scheme = exchange.origin.startsWith('https:') ? 'https' : 'http';
      made[scheme] ??= openApiDocument({ version: VERSION, isSecure: scheme === 'https' });
      return made[scheme];
    },
  };
}
