/** An application that is about to be added. */
import { dialAddress, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { appDraft } from '@gatehouse/contract/kinds/app/apps';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { Reach } from '../../reach/reach.ts';
import type { Draft } from '../../sessions/connection-tests/draft-test.ts';
import { tryApp } from './try-app.ts';

export function readAppDraft({ reach }: { reach: Pick<Reach, 'way'> }, given: unknown): Draft {
  const { name = '', labels, uri, ...spec } = parseInput(appDraft, given, 'spec');
  const address = parseAppUri(uri)!;
  return {
    ...{ rule: 'app_server', name, labels, addr: dialAddress(address), secrets: [] },
    run(steps, test) {
      const ways = test.agent === undefined ? [] : [test.agent];
      const dialledBy = test.agent === undefined ? 'gateway' : 'agents';
      return tryApp(steps, reach, { name, address, dialledBy, ways, spec, redirect: [] }, test);
    },
  };
}
