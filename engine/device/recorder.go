package device

import "sync"

// Recorder is a Device that hands every call on to another one and writes it down.
//
// What it records is what the device below was asked to do, so a decorator around the recorder is not seen
// and one below it is not either: put the recorder next to the device whose work is to be judged.
type Recorder struct {
	Device // Info, Compile and Close go straight through

	mu     sync.Mutex
	events []Event
	begun  int
}

// Record wraps dev.
func Record(dev Device) *Recorder { return &Recorder{Device: dev} }

// Trace returns a copy of what has been recorded.
func (r *Recorder) Trace() Trace {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Trace{Events: append([]Event(nil), r.events...)}
}

// Reset forgets what has been recorded; command buffers keep counting.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = nil
}

func (r *Recorder) add(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// NewBuffer records an alloc.
func (r *Recorder) NewBuffer(label string, lengthBytes int) (Buffer, error) {
	b, err := r.Device.NewBuffer(label, lengthBytes)
	return r.wrap(b, label, lengthBytes, err)
}

// NewBufferNoCopy records an alloc of len(data) bytes.
func (r *Recorder) NewBufferNoCopy(label string, data []byte) (Buffer, error) {
	b, err := r.Device.NewBufferNoCopy(label, data)
	return r.wrap(b, label, len(data), err)
}

func (r *Recorder) wrap(b Buffer, label string, lengthBytes int, err error) (Buffer, error) {
	r.add(Event{Kind: EventAlloc, CommandBuffer: -1, Label: label, LengthBytes: lengthBytes, Err: err})
	if err != nil {
		return nil, err
	}
	return &recordedBuffer{Buffer: b, r: r}, nil
}

// NewCommandBuffer records a begin and gives the command buffer its number.
func (r *Recorder) NewCommandBuffer(label string) (CommandBuffer, error) {
	c, err := r.Device.NewCommandBuffer(label)
	r.mu.Lock()
	number := r.begun
	r.begun++
	r.events = append(r.events, Event{Kind: EventBegin, CommandBuffer: number, Label: label, Err: err})
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return &recordedCommandBuffer{CommandBuffer: c, r: r, number: number, label: label}, nil
}

type recordedBuffer struct {
	Buffer
	r *Recorder
}

func (b *recordedBuffer) Write(offsetBytes int, src []byte) error {
	err := b.Buffer.Write(offsetBytes, src)
	b.r.add(Event{Kind: EventWrite, CommandBuffer: -1, Label: b.Label(), OffsetBytes: offsetBytes, LengthBytes: len(src), Err: err})
	return err
}

func (b *recordedBuffer) Read(offsetBytes int, dst []byte) error {
	err := b.Buffer.Read(offsetBytes, dst)
	b.r.add(Event{Kind: EventRead, CommandBuffer: -1, Label: b.Label(), OffsetBytes: offsetBytes, LengthBytes: len(dst), Err: err})
	return err
}

func (b *recordedBuffer) Release() {
	b.Buffer.Release()
	b.r.add(Event{Kind: EventRelease, CommandBuffer: -1, Label: b.Label()})
}

type recordedCommandBuffer struct {
	CommandBuffer
	r      *Recorder
	number int
	label  string
}

func (c *recordedCommandBuffer) Dispatch(d Dispatch) error {
	rec := DispatchRecord{Tag: d.Tag, Threadgroups: d.Threadgroups, ThreadsPerThreadgroup: d.ThreadsPerThreadgroup}
	if d.Pipeline != nil {
		rec.Kernel = d.Pipeline.Kernel()
	}
	below := d
	below.Args = make([]Arg, len(d.Args))
	for i, a := range d.Args {
		ar := ArgRecord{Index: a.Index, OffsetBytes: a.OffsetBytes, InlineBytes: len(a.Bytes), ThreadgroupBytes: a.ThreadgroupBytes}
		if a.Buffer != nil {
			ar.Buffer = a.Buffer.Label()
			if own, ok := a.Buffer.(*recordedBuffer); ok {
				a.Buffer = own.Buffer
			}
		}
		below.Args[i] = a
		rec.Args = append(rec.Args, ar)
	}
	err := c.CommandBuffer.Dispatch(below)
	c.r.add(Event{Kind: EventDispatch, CommandBuffer: c.number, Dispatch: &rec, Err: err})
	return err
}

func (c *recordedCommandBuffer) Barrier() error {
	return c.record(EventBarrier, c.CommandBuffer.Barrier())
}

func (c *recordedCommandBuffer) Commit() error {
	return c.record(EventCommit, c.CommandBuffer.Commit())
}

func (c *recordedCommandBuffer) Wait() error {
	return c.record(EventWait, c.CommandBuffer.Wait())
}

func (c *recordedCommandBuffer) record(kind EventKind, err error) error {
	c.r.add(Event{Kind: kind, CommandBuffer: c.number, Label: c.label, Err: err})
	return err
}
