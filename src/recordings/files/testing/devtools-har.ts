/** A HAR file as Chrome's DevTools saves it with sensitive data: a page, its files, and the sockets given. */
export function devToolsHar(sockets: readonly object[]): string {
  return JSON.stringify(
    {
      log: {
        version: '1.2',
        creator: { name: 'WebInspector', version: '537.36' },
        pages: [
          {
            startedDateTime: '2026-09-21T14:13:19.500Z',
            id: 'page_1',
            title: 'https://app.example/',
            pageTimings: { onContentLoad: 120.5, onLoad: 200.25 },
          },
        ],
        entries: [
          httpEntry('https://app.example/', 'document'),
          ...sockets,
          httpEntry('https://app.example/a.css', 'stylesheet'),
        ],
      },
    },
    null,
    2,
  );
}

/** One socket of such a file. */
export const socketEntry = (
  url: string,
  messages: readonly object[],
  more: { headers?: object[]; startedDateTime?: string } = {},
) => ({
  _connectionId: '42',
  _initiator: {
    type: 'script',
    stack: { callFrames: [{ functionName: 'open', url: 'https://app.example/a.js' }] },
  },
  _priority: null,
  _resourceType: 'websocket',
  _webSocketMessages: messages,
  cache: {},
  connection: '42',
  pageref: 'page_1',
  request: {
    method: 'GET',
    url,
    httpVersion: 'HTTP/1.1',
    headers: more.headers ?? [],
    queryString: [...new URL(url).searchParams].map(([name, value]) => ({ name, value })),
    cookies: [],
    headersSize: -1,
    bodySize: 0,
  },
  response: {
    status: 101,
    statusText: 'Switching Protocols',
    httpVersion: 'HTTP/1.1',
    headers: [],
    cookies: [],
    content: { size: 0, mimeType: 'x-unknown' },
    redirectURL: '',
    headersSize: -1,
    bodySize: -1,
    _transferSize: 0,
    _error: null,
  },
  serverIPAddress: '127.0.0.1',
  startedDateTime: more.startedDateTime ?? '2026-09-21T14:13:20.000Z',
  time: 2500.5,
  timings: {
    blocked: -1,
    dns: -1,
    ssl: -1,
    connect: -1,
    send: 0,
    wait: 0,
    receive: 2500.5,
    _blocked_queueing: -1,
  },
});

const httpEntry = (url: string, type: string) => {
  const { _webSocketMessages: _, ...entry } = socketEntry(url, []);
  return { ...entry, _resourceType: type };
};
