package device

// Hooks change what passes through [Intercept]. Nil fields change nothing.
//
// They exist to plant faults from outside, without a switch inside the engine.
type Hooks struct {
	// Sources may edit kernel texts before they are compiled.
	Sources func([]Source) []Source
	// Dispatch returns the dispatches to make instead of d: none drops it, two repeat or add.
	Dispatch func(d Dispatch) []Dispatch
	// Barrier reports whether to keep the barrier that follows n earlier ones of its command buffer.
	Barrier func(n int) bool
	// Wrote is told of each host write after it was made; it may write again.
	Wrote func(b Buffer, offsetBytes int, src []byte) error
	// Read may change what the host is given.
	Read func(b Buffer, offsetBytes int, dst []byte)
}

// Intercept wraps dev so that the hooks see and change what passes.
func Intercept(dev Device, h Hooks) Device { return &interceptor{Device: dev, h: h} }

type interceptor struct {
	Device
	h Hooks
}

func (i *interceptor) Compile(sources []Source) (Library, error) {
	if i.h.Sources != nil {
		sources = i.h.Sources(append([]Source(nil), sources...))
	}
	return i.Device.Compile(sources)
}

func (i *interceptor) NewBuffer(label string, lengthBytes int) (Buffer, error) {
	b, err := i.Device.NewBuffer(label, lengthBytes)
	return i.wrap(b, err)
}

func (i *interceptor) NewBufferNoCopy(label string, data []byte) (Buffer, error) {
	b, err := i.Device.NewBufferNoCopy(label, data)
	return i.wrap(b, err)
}

func (i *interceptor) wrap(b Buffer, err error) (Buffer, error) {
	if err != nil {
		return nil, err
	}
	return &interceptedBuffer{Buffer: b, h: &i.h}, nil
}

func (i *interceptor) NewCommandBuffer(label string) (CommandBuffer, error) {
	c, err := i.Device.NewCommandBuffer(label)
	if err != nil {
		return nil, err
	}
	return &interceptedCommandBuffer{CommandBuffer: c, h: &i.h}, nil
}

type interceptedBuffer struct {
	Buffer
	h *Hooks
}

func (b *interceptedBuffer) Write(offsetBytes int, src []byte) error {
	if err := b.Buffer.Write(offsetBytes, src); err != nil || b.h.Wrote == nil {
		return err
	}
	return b.h.Wrote(b.Buffer, offsetBytes, src)
}

func (b *interceptedBuffer) Read(offsetBytes int, dst []byte) error {
	err := b.Buffer.Read(offsetBytes, dst)
	if err == nil && b.h.Read != nil {
		b.h.Read(b.Buffer, offsetBytes, dst)
	}
	return err
}

type interceptedCommandBuffer struct {
	CommandBuffer
	h        *Hooks
	barriers int
}

func (c *interceptedCommandBuffer) Dispatch(d Dispatch) error {
	d.Args = append([]Arg(nil), d.Args...)
	for i, a := range d.Args {
		if own, ok := a.Buffer.(*interceptedBuffer); ok {
			d.Args[i].Buffer = own.Buffer
		}
	}
	list := []Dispatch{d}
	if c.h.Dispatch != nil {
		list = c.h.Dispatch(d)
	}
	for _, d := range list {
		if err := c.CommandBuffer.Dispatch(d); err != nil {
			return err
		}
	}
	return nil
}

func (c *interceptedCommandBuffer) Barrier() error {
	n := c.barriers
	c.barriers++
	if c.h.Barrier != nil && !c.h.Barrier(n) {
		return nil
	}
	return c.CommandBuffer.Barrier()
}
