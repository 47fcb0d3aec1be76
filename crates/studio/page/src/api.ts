// Requests to the server. A page names itself, so that its newer requests take the place of older ones.

export interface Place {
  line: number | null;
  column: number | null;
  end: { line: number; column: number } | null;
}

export interface Diagnostic extends Place {
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  help: string | null;
  suggestion: ({ replacement: string } & Place) | null;
}

export interface Failure {
  message: string;
  help?: string | null;
  code?: string | null;
  diagnostics?: Diagnostic[];
}

export interface Slider {
  name: string;
  default: number;
  unit?: string | null;
  fixed?: boolean;
}

export interface Checked {
  title?: string | null;
  coordinates?: string[];
  speeds?: string[];
  parameters?: Record<string, number>;
  constraints?: { name: string; kind: string; linear: boolean; scleronomic: boolean; catastatic: boolean; rows: unknown[] }[];
  rank?: number | null;
  degrees_of_freedom?: number | null;
  initial?: Record<string, number> | null;
  redundant?: string[] | null;
  outputs?: string[];
  events?: string[];
  operations?: { total: number };
  sliders?: Slider[];
  start?: Slider[];
  until?: number | null;
  diagnostics: Diagnostic[];
  error?: string;
  failed?: Failure;
  ended?: string;
}

export interface Column {
  name: string;
  unit?: string | null;
  values: (number | null)[];
}

export interface Result {
  table: Column[];
  thinned: number;
  film: unknown;
  stop: string;
  stopped: string | null;
  summary: {
    method: string;
    t: number;
    rows: number;
    steps: number;
    wall_time: number;
    rank: number;
    largest_position_residual: number | null;
    largest_velocity_residual: number | null;
    energy: number | null;
    energy_change: number | null;
    energy_unit: string | null;
  };
  events: { name: string; t: number; rising: boolean }[];
  failure: Failure | null;
  failed?: Failure;
  ended?: string;
}

export interface Question {
  text: string;
  set: Record<string, number>;
  initial: Record<string, number>;
}

export interface RunQuestion extends Question {
  until: number | null;
  method?: string;
}

export interface Session {
  token: string;
  version: string;
  folder: string;
  writable: boolean;
  time_limit: number;
  largest_text: number;
}

export interface Example {
  kind: string;
  name: string;
  title: string;
  about: string;
  text: string;
}

const page = crypto.randomUUID().replaceAll("-", "");
export let session: Session;

async function get<T>(path: string): Promise<T> {
  const response = await fetch(path).catch(() => {
    throw new Error(`${GONE.message}; ${GONE.help}`);
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.failed?.message ?? response.statusText);
  return body;
}

function send(method: string, path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json", "x-dalembert-token": session.token, "x-page": page };
  return fetch(path, { method, headers, body: JSON.stringify(body) });
}

export async function connect(): Promise<void> {
  session = await get("/api/session");
}

export const examples = (): Promise<Example[]> => get("/api/examples");
export const files = async (): Promise<string[]> => (await get<{ files: string[] }>("/api/files")).files;
export const readFile = (name: string): Promise<{ text: string; version: string }> =>
  get(`/api/file/${encodeURIComponent(name)}`);

export interface Saved {
  version?: string | null;
  conflict?: string;
  failed?: string;
}

/** Saves over the version that was seen; `conflict` says why that is not what is there. */
export async function saveFile(name: string, text: string, version: string | null): Promise<Saved> {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > session.largest_text) return { failed: `the text has ${bytes} bytes, a model has ${session.largest_text} at most` };
  try {
    const response = await send("PUT", `/api/file/${encodeURIComponent(name)}`, { text, version });
    const body = await response.json();
    if (response.ok) return { version: body.version };
    const message = body.failed?.message || response.statusText || `status ${response.status}`;
    return response.status === 409 ? { conflict: message, version: body.version } : { failed: message };
  } catch {
    return { failed: `${GONE.message}; ${GONE.help}` };
  }
}

/** One request, one document; `failed` or `ended` stand in it where there is no answer. */
export async function ask<T>(what: string, question: object): Promise<T & { failed?: Failure; ended?: string }> {
  try {
    const response = await send("POST", `/api/${what}`, question);
    return await response.json();
  } catch {
    return { failed: GONE } as T & { failed: Failure };
  }
}

export const GONE: Failure = {
  message: "the studio does not answer",
  help: "start it again with `dalembert studio`, then load this page again; what is not saved is kept in this browser",
};

/** A run: `told` hears how far it is; the answer is the last line. */
export async function run(question: RunQuestion, told: (part: number) => void): Promise<Result> {
  try {
    const response = await send("POST", "/api/run", question);
    if (!response.ok || !response.body) return await response.json();
    return await lastLine(response.body, told);
  } catch {
    return { failed: GONE } as Result;
  }
}

async function lastLine(body: ReadableStream<Uint8Array>, told: (part: number) => void): Promise<Result> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let answer: Result | undefined;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return answer ?? ({ failed: GONE } as Result);
    const lines = decoder.decode(value, { stream: true }).split("\n");
    for (const [k, line] of lines.entries()) {
      pieces.push(line);
      if (k === lines.length - 1) break;
      const whole = pieces.join("");
      pieces = [];
      if (whole.startsWith('{"progress"')) told(JSON.parse(whole).progress ?? 0);
      else answer = JSON.parse(whole);
    }
  }
}

/** Ends a request; where nobody hears it there is nothing to end. */
export const stop = (what: string): Promise<unknown> => send("POST", `/api/stop/${what}`, {}).catch(() => undefined);
