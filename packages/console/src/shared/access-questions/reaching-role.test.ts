import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { newRole, plainLabels, reachingRole } from './reaching-role.ts';

const NODE = factsOf('node');
const role = (labels: string) => `kind: role\nmetadata:\n  name: ops\nspec:\n  allow:\n    node_labels:${labels}\n`;
const labelsIn = (text: string) => parse(text).spec.allow.node_labels;

test('a role that names a label takes one value more for it, and keeps its own', () => {
  const said = role('\n      env: prod # live\n');
  const { text, lacks } = reachingRole(said, NODE, { env: 'dev', team: 'x' });

  expect(lacks).toEqual([]);
  expect(labelsIn(text)).toEqual({ env: ['prod', 'dev'] });
});

test('a label that the thing does not have is named, and the role is left alone', () => {
  const said = role('\n      env: [prod]\n      team: y\n');

  expect(reachingRole(said, NODE, { env: 'dev' })).toEqual({ text: said, lacks: ['team'] });
});

test('a role that takes it already, or everything, is left as it is', () => {
  for (const labels of [" { '*': '*' }", ' { env: [dev, prod] }', " { env: '*' }"]) {
    expect(reachingRole(role(labels), NODE, { env: 'dev', team: 'x' })).toEqual({ text: role(labels), lacks: [] });
  }
});

test('a role that reaches nothing of the kind gets all the labels, and one that cannot be read is left alone', () => {
  const { text } = reachingRole('kind: role\nspec:\n  allow:\n    logins: [root]\n', NODE, { env: 'dev', team: 'x' });

  expect(labelsIn(text)).toEqual({ env: 'dev', team: 'x' });
  expect(reachingRole('kind: [', NODE, { env: 'dev' })).toEqual({ text: 'kind: [', lacks: [] });
});

test('a new role reaches exactly these labels, under names that its holders bring along', () => {
  const labels = { env: "a'b: [c]", 'x"y': 'no' };
  const { spec } = parse(newRole(NODE, labels));

  expect(spec.allow).toEqual({ node_labels: labels, logins: ['{{internal.logins}}'] });
});

test('a label that a role would read as a pattern or a template is never written into one: a machine names its own', () => {
  for (const hostile of ['*', 'prod-*', '^.*$', '{{internal.logins}}']) {
    expect(plainLabels({ env: hostile, team: 'x' })).toEqual({ team: 'x' });
    expect(reachingRole(role('\n      env: prod\n'), NODE, { env: hostile }).lacks).toEqual(['env']);
    expect(parse(newRole(NODE, { env: hostile })).spec.allow).not.toHaveProperty('node_labels');
  }
  expect(plainLabels({ '*': 'x' })).toEqual({});
});
