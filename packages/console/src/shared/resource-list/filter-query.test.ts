import { expect, test } from 'vitest';
import { filterProblem, readFilter, toggleLabel, writeFilter } from './filter-query.ts';

const PROD = { name: 'env', value: 'prod' };

test('words alone are a search, and a query alone stays as it was typed', () => {
  expect(writeFilter({ labels: [], text: 'web eu-west' })).toEqual({ search: 'web eu-west', query: '' });
  expect(writeFilter({ labels: [], text: 'name == "web"' })).toEqual({ search: '', query: 'name == "web"' });
});

test('a label that is picked joins what was searched for', () => {
  const before = readFilter({ search: 'web "eu west"', query: '' });

  const texts = writeFilter(toggleLabel(before, PROD));

  expect(texts).toEqual({ search: '', query: 'labels["env"] == "prod" && search("web", "eu west")' });
  expect(readFilter(texts)).toEqual({ labels: [PROD], text: 'web "eu west"' });
});

test('a label that is picked again goes', () => {
  const filter = readFilter({ search: '', query: 'labels["env"] == "prod"' });

  expect(writeFilter(toggleLabel(filter, PROD))).toEqual({ search: '', query: '' });
});

test('what is not a plain label or search stays a query in the field', () => {
  const query = 'labels["env"] == "prod" && !exists(labels["retired"]) && search("web")';

  expect(readFilter({ search: '', query })).toEqual({
    labels: [PROD],
    text: '!exists(labels["retired"]) && search("web")',
  });
  expect(writeFilter(readFilter({ search: '', query }))).toEqual({ search: '', query });
});

test('an "or" that was typed does not reach over the labels beside it', () => {
  const either = 'name == "a" || name == "b"';

  const { query } = writeFilter({ labels: [PROD], text: either });

  expect(query).toBe(`labels["env"] == "prod" && (${either})`);
  expect(readFilter({ search: '', query: either })).toEqual({ labels: [], text: either });
});

test.each(['labels["env"] ==', 'labels["env', '(name == "a"', 'name == "a" &&', ')('])(
  'a query that is not well-formed, such as %j, is left alone',
  (query) => {
    expect(readFilter({ search: '', query })).toEqual({ labels: [], text: query });
    expect(writeFilter({ labels: [], text: query }).query || writeFilter({ labels: [], text: query }).search).toBe(
      query,
    );
  },
);

test.each(['say "hi"', 'back\\slash', 'a && b', 'x"] == "y', 'ü ☃'])(
  'any label value, such as %j, comes back',
  (value) => {
    const label = { name: 'k"1', value };

    expect(readFilter(writeFilter({ labels: [label], text: '' }))).toEqual({ labels: [label], text: '' });
  },
);

test('a search beside a query is kept', () => {
  expect(readFilter({ search: 'web', query: 'labels["env"] == "prod"' })).toEqual({ labels: [PROD], text: 'web' });
});

test('a mistake in a query is named with its place; words are never wrong', () => {
  expect(filterProblem('labels["env"] =')).toMatchObject({ at: 15 });
  expect(filterProblem('labels["env"] == "prod"')).toBeUndefined();
  expect(filterProblem('web eu-west')).toBeUndefined();
});
